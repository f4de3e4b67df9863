#include "engine/parallel/loopback_transport.hpp"
#include "engine/plans/pme_plan.hpp"
#include "engine/simulation/parallel_single_point.hpp"
#include "forcefields/gromacs_topology.hpp"
#include "io/coordinates.hpp"

#include <filesystem>
#include <gtest/gtest.h>

// Real systems on several ranks: the bits of one. The files are not part of the project.
namespace tessera
{
namespace
{

struct Handed {
    std::shared_ptr<const Topology> topology;
    Coordinates coordinates;
};

std::filesystem::path systems()
{
    return std::filesystem::path(TESSERA_SOURCE_DIR) / "../shared/systems";
}

class HandedSystem : public testing::Test {
protected:
    static bool is_absent(const std::string& file)
    {
        return !std::filesystem::exists(systems() / file);
    }
    static Handed read(const std::string& top, const std::string& gro)
    {
        GromacsTopologyOptions options;
        options.include = {systems() / "_forcefields"};
        return {finish(read_gromacs_topology(systems() / top, options)),
                read_coordinates((systems() / gro).string())};
    }
    static void expect_the_bits_of_one_rank(const Handed& system, std::array<int, 3> grid)
    {
        NonbondedSettings s;
        s.lj_cutoff = 0.9;
        s.coulomb_cutoff = 0.9;
        s.electrostatics = Electrostatics::pme;
        s.ewald_beta = ewald_beta_for_tolerance(0.9, 1e-5);
        s.pme_grid = grid;
        const Box& box = *system.coordinates.box;
        const std::vector<Vec3>& x = system.coordinates.positions;
        const SinglePoint one = single_point(system.topology, s, box, x, 1);

        for (const int ranks : {2, 3}) {
            SinglePoint many;
            run_loopback(ranks, [&](Transport& transport) {
                SinglePoint mine = parallel_single_point(system.topology, s, box, x, transport, 1);
                if (transport.rank() == ranks - 1) {
                    many = std::move(mine);
                }
            });

            EXPECT_EQ(many.forces, one.forces) << ranks;
            for (std::size_t k = 0; k < energy_kind_count; ++k) {
                const auto kind = static_cast<EnergyKind>(k);
                EXPECT_EQ(many.sums.energy(kind), one.sums.energy(kind)) << name_of(kind);
            }
        }
    }
};

TEST_F(HandedSystem, ProteinWithCorrectionMapsHasTheBitsOfOneRank)
{
    const std::string folder = "gmx-1aki-charmm27/";
    if (is_absent(folder + "1aki.charmm27.solv.top")) {
        GTEST_SKIP() << "the handed system gmx-1aki-charmm27 is not beside the project";
    }
    expect_the_bits_of_one_rank(
        read(folder + "1aki.charmm27.solv.top", folder + "1aki.charmm27.solv.gro"), {48, 48, 48});
}

TEST_F(HandedSystem, FourSiteWaterInADodecahedronHasTheBitsOfOneRank)
{
    const std::string folder = "gmx-ildn-dodec/";
    if (is_absent(folder + "ildn.solv.top")) {
        GTEST_SKIP() << "the handed system gmx-ildn-dodec is not beside the project";
    }
    expect_the_bits_of_one_rank(read(folder + "ildn.solv.top", folder + "ildn.solv.gro"),
                                {32, 32, 32});
}

} // namespace
} // namespace tessera
