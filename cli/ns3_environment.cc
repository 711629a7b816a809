// Keeps ns-3's environment out of the program.
//
// ns-3 reads its variables in static initializers of its libraries, before main():
// NS_LOG=print-list ends a program there, NS_GLOBAL_VALUE exchanges its simulator, and a component
// that NS_LOG names and nobody has aborts it later. They are meant for ns-3 scripts, and who has
// them set for those must not get other results here. So they go before any library is initialized:
// the functions of .preinit_array come first of all, and are given the environment that will be the
// program's. Only an executable may have them, and scripts are others.

namespace {

constexpr const char* names[] = {"NS_LOG", "NS_GLOBAL_VALUE", "NS_ATTRIBUTE_DEFAULT",
                                 "NS_COMMANDLINE_INTROSPECTION"};

// Nothing else works yet: no function of a library is called, and sanitizers are not there.
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
