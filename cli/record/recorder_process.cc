#include "cli/record/recorder_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/errors.h"
#include "base/json_document.h"
#include "base/shipped_files.h"

namespace npunet::cli {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr const char* module_file = "npunet_backend.so";

/// The folder of the recorder's C++ part: beside the program in the build, or installed.
fs::path backend_folder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& folder :
         {program, program.parent_path() / "lib/npunet", fs::path(NPUNET_BINARY_FOLDER)}) {
        if (fs::exists(folder / module_file, error)) {
            return folder;
        }
    }
    throw InputError({"npunet record", "", "a build without PyTorch", "one with the recorder",
                      "Run scripts/setup recorder, and build and install again"});
}

/// Options of the interpreter go before the recorder, the program and its arguments behind.
struct SplitCommand {
    std::vector<std::string> interpreter;
    std::vector<std::string> program;
};

SplitCommand split(const std::vector<std::string>& command) {
    SplitCommand result;
    std::size_t at = 0;
    result.interpreter.push_back(command[at++]);
    const std::string name = fs::path(command[0]).filename().string();
    if (name.rfind("python", 0) != 0) {
        throw InputError({"npunet record", "", fmt::format("'{}'", command[0]),
                          "a Python interpreter and a program: -- python3 train.py",
                          "Launchers such as torchrun are not needed"});
    }
    while (at < command.size() && command[at].size() > 1 && command[at][0] == '-' &&
           command[at] != "-m") {
        if (command[at] == "-c") {
            throw InputError({"npunet record", "", "a program in the option -c",
                              "a program in a file, or a module: -- python3 train.py",
                              "Save it to a file"});
        }
        // Of the interpreter's options these have a value of their own.
        const bool valued = command[at] == "-W" || command[at] == "-X";
        result.interpreter.push_back(command[at++]);
        if (valued && at < command.size()) {
            result.interpreter.push_back(command[at++]);
        }
    }
    result.program.assign(command.begin() + static_cast<std::ptrdiff_t>(at), command.end());
    const bool module = !result.program.empty() && result.program[0] == "-m";
    if (result.program.size() < (module ? 2U : 1U)) {
        throw InputError(
            {"npunet record", "", "no program behind the interpreter", "-- python3 train.py", ""});
    }
    std::error_code error;
    if (!module && !fs::exists(result.program[0], error)) {
        throw InputError(
            {result.program[0], "", "no such file", "a Python program", "Check the path"});
    }
    return result;
}

void write_job(const RecorderJob& job, const SplitCommand& command, const fs::path& logs,
               const fs::path& file) {
    Json json{{"ranks", job.ranks},
              {"recorded", job.recorded},
              {"distinct", job.distinct},
              {"logs", logs.string()},
              {"command", command.program},
              {"processes", job.processes},
              {"timeout", job.timeout_s},
              {"scalar", job.scalar},
              {"values", job.values},
              {"balanced", job.balanced},
              {"backend", backend_folder().string()}};
    json["inputs"] = job.inputs;
    json["times"] = job.times;
    json["as_rank"] = job.as_rank;
    json["probes"] = job.probes;
    if (job.recorded.empty()) {
        for (std::int32_t rank = 0; rank < job.ranks; ++rank) {
            json["recorded"].push_back(rank);
        }
    }
    std::string text;
    try {
        text = json.dump();
    } catch (const Json::type_error&) {
        throw InputError({"npunet record", "", "bytes that are not UTF-8",
                          "a command and --output-dir in UTF-8", "Rename what has another name"});
    }
    std::ofstream stream(file);
    stream << text << '\n';
    stream.close();
    if (!stream) {
        throw MachineError(file.string() + ": cannot be written. Check the free space");
    }
}

/// Runs a program and waits for it; its standard output becomes our standard error, since ours may
/// be a document. Returns the status of waitpid().
int run(const std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) {
        pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        ::execvp(pointers[0], pointers.data());
        const int error = errno;
        static_cast<void>(!::write(failure[1], &error, sizeof(error)));
        ::_exit(127);
    }
    ::close(failure[1]);
    int error = 0;
    const bool failed = child < 0 || ::read(failure[0], &error, sizeof(error)) > 0;
    ::close(failure[0]);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (failed) {
        throw InputError({arguments[0], "", std::strerror(child < 0 ? errno : error),
                          "an interpreter that can be run", "Name one: -- /usr/bin/python3 ..."});
    }
    return status;
}

[[noreturn]] void report(const fs::path& file, const std::string& interpreter) {
    const Json json = read_json_object<Json>(file, {"the report of a failure", ""});
    const auto text = [&json](const char* key) { return json.value(key, std::string()); };
    const std::string kind = text("kind");
    const std::string at = text("at");
    const std::string rank = fmt::format("rank {}", json.value("rank", -1));
    if (kind == "missing") {
        throw InputError({interpreter, "", text("message"),
                          "the interpreter whose PyTorch the recorder was built for",
                          "On Debian: -- /usr/bin/python3 ..., with python3-torch installed"});
    }
    if (kind == "hang") {
        std::string message =
            fmt::format("{}{}: {}", at.empty() ? "" : at + ": ", rank, text("message"));
        if (const std::string remedy = text("remedy"); !remedy.empty()) {
            message += ". " + remedy;
        }
        throw ProgramStalled(message);
    }
    throw InputError({at.empty() ? "the program" : at, rank, text("message"),
                      kind == "crash" ? "a program that runs to its end" : "", text("remedy")});
}

}  // namespace

void run_recorder(const RecorderJob& job, const fs::path& logs) {
    const SplitCommand command = split(job.command);
    fs::create_directories(logs);
    const fs::path file = logs / "job.json";
    write_job(job, command, logs, file);
    std::vector<std::string> arguments = command.interpreter;
    arguments.push_back(shipped_path("recorder/npunet_recorder").string());
    arguments.push_back(file.string());
    const int status = run(arguments);
    fs::remove(file);
    if (fs::exists(logs / "failure.json")) {
        report(logs / "failure.json", command.interpreter[0]);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw InputError({command.interpreter[0], "",
                          WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                            : fmt::format("an end by signal {}", WTERMSIG(status)),
                          "a recorder that runs to its end", "See the messages above"});
    }
}

}  // namespace npunet::cli
