// What hostile input may do to the readers: one function of bytes for each of them, which libFuzzer
// calls with bytes of its own (scripts/fuzz), and fuzz_tests with those that went wrong once.
//
//     fuzz_target("frames").run(bytes);     // throws FuzzFailure when something is wrong
//
// An InputError or a MachineError is an answer; any other exception, a sanitizer's report, a stall
// or more memory than the input explains (memory_watch.h) is a finding.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::fuzz {

/// A reader said or did what it must not.
class FuzzFailure : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

struct FuzzTarget {
    std::string_view name;
    void (*run)(std::string_view input);
    /// Small inputs to begin with, the same ones every time.
    std::vector<std::string> (*seeds)();
    /// Which small files of the reference data are of this kind: the end of their names.
    std::string_view file_suffix;
    /// What stands before the bytes of such a file in an input.
    std::string_view before_file;
};

/// All of them.
[[nodiscard]] const std::vector<FuzzTarget>& fuzz_targets();
/// Throws std::out_of_range when there is none of this name.
[[nodiscard]] const FuzzTarget& fuzz_target(std::string_view name);

}  // namespace npunet::fuzz
