#pragma once

#include "engine/cpu/pair_batch.hpp"
#include "engine/plans/cluster_pair_list.hpp"

#include <cstdint>
#include <span>

namespace tessera
{

/// Atoms in the order of slots, packed as the filter reads them.
struct PackedClusters {
    const double* xyzq;       ///< [clusters][4][4]: x of the four atoms, y, z (nm), charge (e)
    const std::int32_t* type; ///< [slots]
};

/// The four atoms of a row's cluster, shifted to the row's image.
struct PackedRow {
    alignas(64) double x[4], y[4], z[4], charge[4];
    std::int32_t type_row[4]; ///< type times the number of types: start of the table's row
};

/// Appends to the batch, of the columns in their order, every listed pair nearer than the cut-off:
/// displacement, squared distance, charge product, index of the pair of types, both atoms. Stops
/// where the batch cannot take another column; returns how many columns it has done.
///
/// Lanes: bit 4 a + b of a mask is atom a of the row with atom b of the column; eight pairs (two
/// a's) a vector. Every instruction set gives the same batch.
std::size_t append_pairs(PairBatch& batch, const PackedRow& row,
                         std::span<const ClusterPairList::Column> columns,
                         const PackedClusters& clusters, double cutoff2);

} // namespace tessera
