#include "engine/model/restraint_reference.hpp"
#include "engine/model/topology.hpp"
#include "forcefields/gromacs_topology.hpp"
#include "io/topology_hash.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <vector>

namespace
{

constexpr std::string_view file_mark = ";;;";

/// Files beside the topology: a line ";;;1.itp" begins the content of 1.itp.
std::vector<std::string> split_files(std::string_view text)
{
    std::vector<std::string> files;
    for (std::size_t at = text.find(file_mark); at != std::string_view::npos && files.size() < 4;
         at = text.find(file_mark)) {
        files.emplace_back(text.substr(0, at));
        text.remove_prefix(at + file_mark.size());
        text.remove_prefix(std::min(text.size(), text.find('\n')));
    }
    files.emplace_back(text);
    return files;
}

/// Nothing outside the scratch folder is read.
bool leaves_the_folder(std::string_view text)
{
    return text.find("include") != std::string_view::npos &&
           text.find('/') != std::string_view::npos;
}

} // namespace

/// A GROMACS topology with up to four files beside it, read and finished as a deck with and
/// without constraints does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tessera;
    static const fuzz::ScratchFile top("fuzz.top"), includes[] = {
                                                        fuzz::ScratchFile("1.itp"),
                                                        fuzz::ScratchFile("2.itp"),
                                                        fuzz::ScratchFile("3.itp"),
                                                        fuzz::ScratchFile("4.itp"),
                                                    };
    const std::string_view text = fuzz::bytes(data, size);
    if (leaves_the_folder(text)) {
        return -1;
    }
    const std::vector<std::string> files = split_files(text);
    top.write(files[0]);
    for (std::size_t k = 1; k < files.size(); ++k) {
        includes[k - 1].write(files[k]);
    }
    GromacsTopologyOptions options;
    options.go_on = [](long long atoms) { return atoms <= 100000; }; // as coordinates would say
    if (size % 2 == 1) {
        options.defines = {"FLEXIBLE", "POSRES", "POSRES_FC=1000"};
    }
    fuzz::run(top.folder(), [&] { // any of its files
        Topology topology = read_gromacs_topology(top.path(), options);
        const std::vector<Vec3> reference(static_cast<std::size_t>(topology.atoms()));
        set_restraint_reference(topology, reference);
        topology = with_constrained_bonds(std::move(topology), ConstraintChoice::all_bonds);
        const auto finished = finish(std::move(topology));
        static_cast<void>(topology_hash(*finished));
    });
    return 0;
}
