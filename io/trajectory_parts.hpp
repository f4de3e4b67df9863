#pragma once

#include "io/hdf5.hpp"
#include "io/trajectory_h5md.hpp"
#include "io/vectors_apart.hpp"
#include "io/whole_molecules.hpp"

#include <algorithm>
#include <functional>

namespace tessera
{

namespace h5md
{
inline const std::string group = "/particles/trajectory";
inline const std::string provenance_group = "/parameters/provenance";

/// Throws InputError: the trajectory cannot be continued.
void require(bool condition, const std::string& path, const std::string& what);
} // namespace h5md

/// The open file of a trajectory and its datasets.
struct H5mdTrajectory::Parts {
    Parts(TrajectorySettings of, const Topology& topology)
        : settings(std::move(of)), walk(molecule_walk(topology)),
          atoms(static_cast<std::size_t>(topology.atoms()))
    {
    }

    TrajectorySettings settings;
    MoleculeWalk walk;
    std::size_t atoms;
    h5::File file;

    h5::Dataset step, time, position, image, velocity, force, edges;
    std::vector<h5::Dataset> observables;
    h5::Dataset energy_step, energy_time;
    std::vector<h5::Dataset> energies;
    VectorsApart velocities_apart, forces_apart;

    hsize_t frames = 0, energy_rows = 0;
    std::int64_t last_step = -1, last_energy_step = -1;

    void write_metadata(const Topology& topology);
    void write_parameters(const Topology& topology);
    void write_topology(const Topology& topology);
    void create_positions();
    void create_datasets();
    void open_datasets();
    void check_same_run(const Topology& topology) const;
    void check_same_packing() const;
    void check_no_gap(std::int64_t checkpoint, std::int64_t last_frame) const;
    void cut(std::int64_t after_step);
    void close();
    void append(const TrajectoryFrame& frame);
    void append_zeros();
    void open_and_cut(const Topology& topology, h5::Access access, std::int64_t checkpoint,
                      std::int64_t last_frame);

    /// Calls f for every dataset that has one row a frame, step and time last.
    template <class F>
    void for_each_of_frames(F&& f)
    {
        for (h5::Dataset* set : {&position, &image, &velocity, &force, &edges}) {
            if (set->is_open()) {
                f(*set);
            }
        }
        std::for_each(observables.begin(), observables.end(), f);
        f(time);
        f(step);
    }
    template <class F>
    void for_each_of_energies(F&& f)
    {
        std::for_each(energies.begin(), energies.end(), f);
        f(energy_time);
        f(energy_step);
    }

private:
    [[nodiscard]] hid_t real() const;
    [[nodiscard]] VectorElement velocity_element() const;
    [[nodiscard]] VectorElement force_element() const;
    h5::Dataset create_element(const std::string& name, const std::string& unit,
                               const std::function<h5::Dataset(const std::string&)>& make);
    h5::Dataset create_vectors_of_frames(const std::string& name, hid_t stored,
                                         const std::string& unit);
    h5::Dataset create_doubles_of_frames(const std::string& name, const h5::Extents& row,
                                         const std::string& unit);
    void append_vectors(h5::Dataset& set, std::span<const Vec3> values);
};

} // namespace tessera
