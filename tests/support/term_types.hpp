#pragma once

#include "engine/physics/listed_terms.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera::support
{

template <class List>
struct AsGtestTypes;
template <class... Terms>
struct AsGtestTypes<TypeList<Terms...>> {
    using type = ::testing::Types<Terms...>;
};

/// Every bonded term, for TYPED_TEST_SUITE(Suite, AllTerms, TermNames).
using AllTerms = AsGtestTypes<ListedTerms>::type;

struct TermNames {
    template <class Term>
    static std::string GetName(int)
    {
        return std::string(Term::name);
    }
};

} // namespace tessera::support
