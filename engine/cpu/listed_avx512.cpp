#include "engine/cpu/listed_lanes.hpp"

namespace tessera
{

namespace
{

template <class Term>
TESSERA_FOR_AVX512 void add_share(const ListedPlace& at, ListedShare& share)
{
    add_share_of_lanes<Term>(at, share);
}

} // namespace

void add_listed_avx512(const ListedPlace& at, ListedShare& share)
{
    ListedTerms::for_each([&]<class Term>() {
        if constexpr (has_lanes<Term>) {
            add_share<Term>(at, share);
        }
    });
}

} // namespace tessera
