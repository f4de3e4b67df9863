#pragma once

#include "cuda/integer_sums.hpp"
#include "engine/geometry/minimum_image.hpp"
#include "engine/physics/term_forces.hpp"

namespace tessera
{

template <int Atoms>
struct DeviceEntry {
    int atom[Atoms];
    int parameter;
};

/// Energy and the nine elements of the virial.
inline constexpr int words_of_listed = 10 * words_of_split_sum;

template <class Term>
struct ListedArgs {
    const DeviceEntry<Term::atoms>* entries;
    const Term* parameters;
    int count;
    const Vec3* positions; ///< nm, [atoms]
    ImageSearch cell;
    Wanted wanted;
    DeviceInteger* forces; ///< [atoms][3]
    DeviceInteger* sums;   ///< [words_of_listed]
    int* fault;            ///< the first entry whose force does not fit; count: none
};

template <class Term>
struct EntryOnDevice {
    const ListedArgs<Term>& args;
    const DeviceEntry<Term::atoms>& entry;

    __device__ Vec3 operator()(int head, int tail) const
    {
        return nearest_image(args.cell,
                             args.positions[entry.atom[head]] - args.positions[entry.atom[tail]]);
    }
};

template <class Term>
struct ForceAdder {
    const ListedArgs<Term>& args;
    const DeviceEntry<Term::atoms>& entry;
    bool& fits;

    __device__ void operator()(int k, const Vec3& force) const
    {
        fits = add_force(args.forces + 3 * entry.atom[k], force) && fits;
    }
};

/// One entry of one kind of term: gather, formula, scatter. Every lane of a warp must call it, also
/// those without an entry (index >= count): sums of the warp are made together.
///
/// Cost an entry: `atoms` positions (24 bytes each), 2 x vectors x 3 integer additions to memory.
template <class Term>
__device__ void evaluate_entry(const ListedArgs<Term>& args, int index)
{
    SplitSum energy;
    SplitSum virial[9];
    if (index < args.count) {
        const DeviceEntry<Term::atoms> entry = args.entries[index];
        const Term term = args.parameters[entry.parameter];
        const auto response = respond<double>(term, EntryOnDevice<Term>{args, entry});
        bool fits = true;
        for_each_force<Term>(response, ForceAdder<Term>{args, entry, fits});
        Vec3 rows[3] = {};
        add_term_virial(term, response, rows);
        fits = fits && fabs(response.energy) < SplitSum::largest_addend;
        for (int k = 0; k < 9; ++k) {
            fits = fits && fabs(rows[k / 3][k % 3]) < SplitSum::largest_addend;
        }
        if (fits) {
            energy.add(response.energy);
            for (int k = 0; k < 9; ++k) {
                virial[k].add(rows[k / 3][k % 3]);
            }
        } else { // also NaN
            atomicMin(args.fault, index);
        }
    }
    if (args.wanted.energies) { // the same for all threads
        add_warp(energy, args.sums);
    }
    if (args.wanted.virial) {
        for (int k = 0; k < 9; ++k) {
            add_warp(virial[k], args.sums + (1 + k) * words_of_split_sum);
        }
    }
}

} // namespace tessera
