#pragma once

#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/pair_filter.hpp"
#include "engine/plans/cluster_pair_list.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace tessera
{

/// Walks the columns of rows, fills batches and hands them on when full and at a row's end.
/// `add_parameters(batch)` looks up what the pairs of types have; `consume(batch, cluster, shift)`
/// takes the results.
template <class AddParameters, class Consume>
class RowWalker {
public:
    RowWalker(const PairForm& form, double cutoff2, const PackedClusters& clusters,
              std::int32_t types, const AddParameters& add_parameters, const Consume& consume)
        : form_(form), cutoff2_(cutoff2), clusters_(clusters), types_(types),
          add_parameters_(add_parameters), consume_(consume)
    {
        std::fill(std::begin(batch_.c4), std::end(batch_.c4), 0.0);
        std::fill(std::begin(batch_.cg), std::end(batch_.cg), 0.0);
    }

    static constexpr int width = ClusterOrder::width;

    void walk(std::int32_t cluster, const Vec3& shift, std::int32_t shift_index,
              std::span<const ClusterPairList::Column> columns)
    {
        PackedRow row;
        const double* own = clusters_.xyzq + static_cast<std::size_t>(cluster) * 4 * width;
        for (int a = 0; a < width; ++a) {
            row.x[a] = own[a] + shift.x;
            row.y[a] = own[width + a] + shift.y;
            row.z[a] = own[2 * width + a] + shift.z;
            row.charge[a] = own[3 * width + a];
            row.type_row[a] =
                clusters_.type[static_cast<std::size_t>(cluster * width + a)] * types_;
        }
        while (!columns.empty()) {
            columns = columns.subspan(append_pairs(batch_, row, columns, clusters_, cutoff2_));
            if (batch_.size > 0) {
                add_parameters_(batch_);
                evaluate(batch_, form_);
                consume_(batch_, cluster, shift_index);
                batch_.size = 0;
            }
        }
    }

private:
    const PairForm& form_;
    double cutoff2_;
    PackedClusters clusters_;
    std::int32_t types_;
    const AddParameters& add_parameters_;
    const Consume& consume_;
    PairBatch batch_;
};

} // namespace tessera
