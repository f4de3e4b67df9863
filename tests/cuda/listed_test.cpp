#include "cuda/listed.hpp"
#include "engine/cpu/listed.hpp"
#include "tests/cuda/device.hpp"
#include "tests/oracle/evaluate.hpp"

namespace tessera
{
namespace
{

const Mat3 cell = {{{1.6, 0, 0}, {0.5, 1.5, 0}, {-0.6, 0.7, 1.7}}};

/// A random chain of atoms across the faces of a tilted cell, with every kind of term that has a
/// kernel on each run of neighbours: more entries than a block, and not a multiple of a warp.
struct Chain {
    Topology topology;
    std::vector<Vec3> positions;
    Box box{cell};

    explicit Chain(int atoms, unsigned seed = 5)
    {
        support::Dice dice(seed);
        Vec3 x{0.3, 0.4, 0.5};
        Vec3 last{1, 0, 0};
        while (static_cast<int>(positions.size()) < atoms) {
            const Vec3 step = dice.in_cube(1.0);
            const double size = norm(step);
            if (size > 0.1 && norm(cross(step, last)) > 0.4 * size * norm(last)) {
                last = (0.12 / size) * step;
                x += last;
                positions.push_back(box.wrap(x));
            }
        }
        CudaListedTerms::for_each([&]<class Term>() {
            for (std::int32_t first = 0; first + Term::atoms <= atoms; ++first) {
                std::array<std::int32_t, static_cast<std::size_t>(Term::atoms)> tuple{};
                for (std::size_t k = 0; k < tuple.size(); ++k) {
                    tuple[k] = first + static_cast<std::int32_t>(k);
                }
                topology.table<Term>().add(tuple, Term::typical());
            }
        });
    }
    [[nodiscard]] std::size_t atoms() const { return positions.size(); }
};

class CudaListedTest : public OnDevice {};

TEST_F(CudaListedTest, EqualsTheOracle)
{
    for (const int atoms : {2, 5, 33, 64, 301}) {
        const Chain chain(atoms);
        oracle::Answer expected(chain.atoms());
        ForceSums forces(chain.atoms(), SumMode::exact);
        EnergySums sums;

        oracle::add_listed(expected, chain.topology, cell, chain.positions);
        CudaListed(chain.topology)
            .add_forces(chain.box, chain.positions, {true, true}, forces, sums);

        EXPECT_TRUE(agree(to_vectors(forces), expected)) << atoms;
        // some 10^3 addends, each rounded to 2^-40 kJ/mol and good to 1e-14 of itself
        EXPECT_NEAR(sums.potential(), expected.total(), 1e-8 + 1e-12 * std::fabs(expected.total()));
        EXPECT_LT(support::largest_element(sums.virial() - expected.virial),
                  1e-8 + 1e-12 * support::largest_element(expected.virial));
    }
}

TEST_F(CudaListedTest, EqualsTheCpuBitForBitWhereTheMathematicalLibraryIsTheSame)
{
    if (!bits_equal_cpu) {
        GTEST_SKIP() << "a GPU's sine and cosine differ from the CPU's in the last bit";
    }
    const Chain chain(301);
    ForceSums gpu(chain.atoms(), SumMode::exact);
    ForceSums cpu(chain.atoms(), SumMode::exact);
    EnergySums gpu_sums;
    EnergySums cpu_sums;

    CudaListed(chain.topology).add_forces(chain.box, chain.positions, {true, true}, gpu, gpu_sums);
    Listed(chain.topology).add_forces(chain.box, chain.positions, {true, true}, 1, cpu, cpu_sums);

    EXPECT_EQ(gpu.fixed(), cpu.fixed());
    EXPECT_EQ(gpu_sums, cpu_sums);
}

TEST_F(CudaListedTest, DoesNotDependOnTheOrderOfThreads)
{
    const Chain chain(133);
    ForceSums first(chain.atoms(), SumMode::exact);
    EnergySums first_sums;
    CudaListed listed(chain.topology);
    listed.add_forces(chain.box, chain.positions, {true, true}, first, first_sums);

    for (const unsigned seed : {1u, 2u, 3u}) {
        shuffle_threads(seed);
        ForceSums again(chain.atoms(), SumMode::exact);
        EnergySums again_sums;
        listed.add_forces(chain.box, chain.positions, {true, true}, again, again_sums);

        EXPECT_EQ(again.fixed(), first.fixed()) << seed;
        EXPECT_EQ(again_sums, first_sums) << seed;
    }
}

TEST_F(CudaListedTest, NegativeControlSeesForcesOffByOneInTenThousand)
{
    const Chain chain(33);
    oracle::Answer expected(chain.atoms());
    ForceSums forces(chain.atoms(), SumMode::exact);
    EnergySums sums;

    oracle::add_listed(expected, chain.topology, cell, chain.positions);
    CudaListed(chain.topology).add_forces(chain.box, chain.positions, {}, forces, sums);

    EXPECT_FALSE(agree(scaled_by(1 + 1e-4, to_vectors(forces)), expected));
}

TEST_F(CudaListedTest, NamesTheAtomsOfABrokenTerm)
{
    Chain chain(40);
    chain.positions[21] = chain.positions[20]; // 1-4 Coulomb of coincident atoms: infinite
    ForceSums forces(chain.atoms(), SumMode::exact);
    EnergySums sums;
    CudaListed listed(chain.topology);

    try {
        listed.add_forces(chain.box, chain.positions, {}, forces, sums);
        FAIL() << "coincident atoms were accepted";
    } catch (const PhysicsError& error) {
        EXPECT_NE(std::string(error.what()).find("atoms 21, 22"), std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace tessera
