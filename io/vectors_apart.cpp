#include "io/vectors_apart.hpp"

#include "engine/base/contract.hpp"

#include <algorithm>
#include <tuple>

namespace tessera
{

namespace
{

constexpr hsize_t chunk_bytes = 65536; // small systems share a chunk, large ones have one a frame

} // namespace

hsize_t rows_per_chunk(hsize_t row_bytes)
{
    return std::clamp<hsize_t>(chunk_bytes / std::max<hsize_t>(1, row_bytes), 1, scalars_per_chunk);
}

h5::Dataset create_vectors(h5::File& file, const std::string& name, hid_t stored, std::size_t atoms,
                           int deflate_level)
{
    const h5::Extents row{atoms, 3};
    return deflate_level > 0 ? file.create_packed(name, stored, row, deflate_level)
                             : file.create_growing(name, stored, row,
                                                   rows_per_chunk(H5Tget_size(stored) * 3 * atoms));
}

std::pair<hsize_t, std::int64_t> cut_rows(h5::File& file, const h5::Dataset& steps,
                                          std::int64_t after_step,
                                          const std::vector<h5::Dataset*>& sets)
{
    const std::vector<std::int64_t> all = steps.read<std::int64_t>();
    auto rows = static_cast<hsize_t>(
        std::find_if(all.begin(), all.end(), [&](std::int64_t s) { return s > after_step; }) -
        all.begin());
    for (const h5::Dataset* set : sets) {
        rows = std::min(rows, set->rows());
    }
    const auto cut = [&](bool is_counted) {
        for (h5::Dataset* set : sets) {
            if ((set == sets.front() || set == &steps) == is_counted && set->rows() != rows) {
                set->set_rows(rows);
            }
        }
        file.flush();
    };
    cut(true);
    cut(false);
    return {rows, rows > 0 ? all[rows - 1] : -1};
}

VectorsApart VectorsApart::create(h5::File& file, const VectorElement& what)
{
    VectorsApart out;
    out.atoms_ = what.atoms;
    const std::string name = what.group + "/" + what.element;
    file.create_group(what.group);
    file.create_group(name);
    out.value_ = create_vectors(file, name + "/value", what.stored, what.atoms, what.deflate_level);
    out.step_ = file.create_growing(name + "/step", H5T_STD_I64LE, {}, scalars_per_chunk);
    out.time_ = file.create_growing(name + "/time", H5T_IEEE_F64LE, {}, scalars_per_chunk);
    file.set_text(name + "/value", "unit", what.unit); // attributes last: headers side by side
    file.set_text(name + "/time", "unit", "ps");
    if (what.time_offset != 0) {
        file.set_number(name, "time_offset", what.time_offset);
        file.set_text(name, "time_offset_unit", "ps");
    }
    const std::string box = what.group + "/box";
    file.create_group(box);
    file.set_number<std::int32_t>(box, "dimension", 3);
    const std::string boundary = what.periodic ? "periodic" : "none";
    file.set_fixed_texts(box, "boundary", {boundary, boundary, boundary});
    if (what.periodic) {
        file.create_group(box + "/edges");
        out.edges_ =
            file.create_growing(box + "/edges/value", H5T_IEEE_F64LE, {3, 3}, rows_per_chunk(72));
        file.set_text(box + "/edges/value", "unit", "nm");
        file.hard_link(name + "/step", box + "/edges/step");
        file.hard_link(name + "/time", box + "/edges/time");
    }
    return out;
}

void VectorsApart::open(const h5::File& file, const VectorElement& what)
{
    atoms_ = what.atoms;
    const std::string name = what.group + "/" + what.element;
    value_ = file.dataset(name + "/value");
    step_ = file.dataset(name + "/step");
    time_ = file.dataset(name + "/time");
    if (what.periodic) {
        edges_ = file.dataset(what.group + "/box/edges/value");
    }
}

void VectorsApart::append(h5::File& file, std::int64_t step, double time, const Box& box,
                          std::span<const Vec3> values)
{
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    TESSERA_EXPECT(values.size() == atoms_);
    if (step <= last_step_) {
        return;
    }
    if (edges_.is_open()) {
        edges_.append_row(&box.vectors()[0].x);
    }
    time_.append_row(&time);
    file.flush();
    // readers count frames by vectors or steps: the rest is on the disk before these grow
    step_.append_row(&step);
    value_.append_row(reinterpret_cast<const double*>(values.data()));
    file.flush();
    ++rows_;
    last_step_ = step;
}

void VectorsApart::cut(h5::File& file, std::int64_t after_step)
{
    std::vector<h5::Dataset*> sets = {&value_, &time_, &step_};
    if (edges_.is_open()) {
        sets.push_back(&edges_);
    }
    std::tie(rows_, last_step_) = cut_rows(file, step_, after_step, sets);
}

void VectorsApart::close()
{
    for (h5::Dataset* set : {&value_, &edges_, &time_, &step_}) {
        *set = h5::Dataset();
    }
}

} // namespace tessera
