#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace tessera::testing
{

/// A small Amber parameter file, made section by section; every count in POINTERS is set by name.
class AmberText {
public:
    /// `atoms` atoms of one type without bonds, each its own residue; LJ of argon.
    explicit AmberText(std::size_t atoms) : atoms_(atoms)
    {
        pointers_["NATOM"] = static_cast<int>(atoms);
        pointers_["NTYPES"] = 1;
        pointers_["NNB"] = static_cast<int>(atoms);
        pointers_["NRES"] = static_cast<int>(atoms);
        words("TITLE", {"test"});
        words("ATOM_NAME", std::vector<std::string>(atoms, "AR"));
        reals("CHARGE", std::vector<double>(atoms, 0));
        reals("MASS", std::vector<double>(atoms, 39.948));
        integers("ATOM_TYPE_INDEX", std::vector<int>(atoms, 1));
        integers("NUMBER_EXCLUDED_ATOMS", std::vector<int>(atoms, 1));
        integers("EXCLUDED_ATOMS_LIST", std::vector<int>(atoms, 0));
        integers("NONBONDED_PARM_INDEX", {1});
        reals("LENNARD_JONES_ACOEF", {2271872.49});
        reals("LENNARD_JONES_BCOEF", {1470.65380});
        words("RESIDUE_LABEL", std::vector<std::string>(atoms, "AR"));
        std::vector<int> first;
        for (std::size_t a = 0; a < atoms; ++a) {
            first.push_back(static_cast<int>(a) + 1);
        }
        integers("RESIDUE_POINTER", first);
        for (const char* flag : {"BOND_FORCE_CONSTANT", "BOND_EQUIL_VALUE", "ANGLE_FORCE_CONSTANT",
                                 "ANGLE_EQUIL_VALUE", "DIHEDRAL_FORCE_CONSTANT",
                                 "DIHEDRAL_PERIODICITY", "DIHEDRAL_PHASE"}) {
            reals(flag, {});
        }
        for (const char* flag :
             {"BONDS_INC_HYDROGEN", "BONDS_WITHOUT_HYDROGEN", "ANGLES_INC_HYDROGEN",
              "ANGLES_WITHOUT_HYDROGEN", "DIHEDRALS_INC_HYDROGEN", "DIHEDRALS_WITHOUT_HYDROGEN"}) {
            integers(flag, {});
        }
    }

    AmberText& pointer(const std::string& name, int value)
    {
        pointers_[name] = value;
        return *this;
    }
    /// The section as it shall stand after its %FLAG line.
    AmberText& raw(const std::string& flag, const std::string& text)
    {
        sections_[flag] = text;
        return *this;
    }
    AmberText& without(const std::string& flag)
    {
        sections_.erase(flag);
        return *this;
    }
    AmberText& integers(const std::string& flag, const std::vector<int>& values)
    {
        return raw(flag, "%FORMAT(10I8)\n" + lines(values, 10, "{:8d}"));
    }
    AmberText& reals(const std::string& flag, const std::vector<double>& values)
    {
        return raw(flag, "%FORMAT(5E16.8)\n" + lines(values, 5, "{:16.8E}"));
    }
    AmberText& words(const std::string& flag, const std::vector<std::string>& values)
    {
        return raw(flag, "%FORMAT(20a4)\n" + lines(values, 20, "{:4}"));
    }
    /// A list of bonds, angles or dihedrals, and its POINTERS entry.
    AmberText& list(const std::string& flag, const std::string& pointer_name, int stride,
                    const std::vector<int>& values)
    {
        pointer(pointer_name, static_cast<int>(values.size()) / stride);
        return integers(flag, values);
    }
    /// One excluded partner list an atom (numbers from 1); {} stands for none.
    AmberText& exclusions(const std::vector<std::vector<int>>& partners)
    {
        std::vector<int> counts, all;
        for (const auto& row : partners) {
            counts.push_back(row.empty() ? 1 : static_cast<int>(row.size()));
            all.insert(all.end(), row.begin(), row.end());
            if (row.empty()) {
                all.push_back(0);
            }
        }
        pointer("NNB", static_cast<int>(all.size()));
        return integers("NUMBER_EXCLUDED_ATOMS", counts).integers("EXCLUDED_ATOMS_LIST", all);
    }

    [[nodiscard]] std::string text() const
    {
        static const std::vector<std::string> names = {
            "NATOM",  "NTYPES", "NBONH", "MBONA", "NTHETH", "MTHETA", "NPHIH",   "MPHIA",
            "NHPARM", "NPARM",  "NNB",   "NRES",  "NBONA",  "NTHETA", "NPHIA",   "NUMBND",
            "NUMANG", "NPTRA",  "NATYP", "NPHB",  "IFPERT", "NBPER",  "NGPER",   "NDPER",
            "MBPER",  "MGPER",  "MDPER", "IFBOX", "NMXRS",  "IFCAP",  "NUMEXTRA"};
        std::vector<int> values;
        for (const std::string& name : names) {
            const auto it = pointers_.find(name);
            values.push_back(it == pointers_.end() ? 0 : it->second);
        }
        std::string all = "%VERSION  VERSION_STAMP = V0001.000  DATE = 01/01/00  00:00:00\n";
        all += "%FLAG POINTERS\n%FORMAT(10I8)\n" + lines(values, 10, "{:8d}");
        for (const auto& [flag, section] : sections_) {
            all += "%FLAG " + flag + "\n" + section;
        }
        return all;
    }

    /// Writes the text to a file that lives as long as the program.
    [[nodiscard]] std::filesystem::path write() const { return write(text()); }
    static std::filesystem::path write(const std::string& text)
    {
        struct Written {
            std::vector<std::filesystem::path> paths;
            ~Written()
            {
                for (const auto& path : paths) {
                    std::error_code ignored;
                    std::filesystem::remove(path, ignored);
                }
            }
        };
        static Written written;
        const auto path =
            std::filesystem::temp_directory_path() /
            fmt::format("tessera_amber_{}_{}.prmtop", ::getpid(), written.paths.size());
        std::ofstream(path, std::ios::binary) << text;
        written.paths.push_back(path);
        return path;
    }

private:
    template <class Value>
    static std::string lines(const std::vector<Value>& values, std::size_t per_line,
                             const char* format)
    {
        std::string all;
        for (std::size_t k = 0; k < values.size(); ++k) {
            all += fmt::format(fmt::runtime(format), values[k]);
            if ((k + 1) % per_line == 0 || k + 1 == values.size()) {
                all += '\n';
            }
        }
        return values.empty() ? "\n" : all;
    }

    std::size_t atoms_;
    std::map<std::string, int> pointers_;
    std::map<std::string, std::string> sections_;
};

} // namespace tessera::testing
