// Keeps ns-3's environment out of the program.
//
// ns-3 reads its variables in static initializers of its libraries, before main():
// NS_LOG=print-list ends the program there, NS_GLOBAL_VALUE replaces its simulator, and an unknown
// component in NS_LOG aborts it later. They are meant for ns-3 scripts and must not affect results
// here. So they are removed before any library is initialized: functions in .preinit_array run
// first, and receive the environment that the program will have. Only an executable can have them;
// scenario scripts are separate executables and keep their environment.

namespace {

constexpr const char* names[] = {"NS_LOG", "NS_GLOBAL_VALUE", "NS_ATTRIBUTE_DEFAULT",
                                 "NS_COMMANDLINE_INTROSPECTION"};

// Runs before libraries and sanitizers are initialized, so it must not call any function.
__attribute__((no_sanitize("address", "thread", "undefined"))) void hide_ns3_environment(
    int /*argc*/, char** /*argv*/, char** environment) {
    char** kept = environment;
    for (char** entry = environment; *entry != nullptr; ++entry) {
        bool hidden = false;
        for (const char* name : names) {
            const char* text = *entry;
            for (; *name != '\0' && *text == *name; ++name, ++text) {
            }
            hidden = hidden || (*name == '\0' && *text == '=');
        }
        if (!hidden) {
            *kept++ = *entry;
        }
    }
    *kept = nullptr;
}

using Function = void (*)(int, char**, char**);

__attribute__((section(".preinit_array"), used)) const Function before_all = hide_ns3_environment;

}  // namespace
