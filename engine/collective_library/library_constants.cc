#include "engine/collective_library/library_constants.h"

#include <algorithm>

namespace npunet::engine {

namespace {

template <auto member>
constexpr LibraryConstant plain(std::string_view name, const char* unit) {
    return {name, [](const LibraryConstants& constants) { return constants.*member; },
            [](LibraryConstants& constants, double value) { constants.*member = value; }, unit};
}

template <auto member, std::size_t index>
constexpr LibraryConstant entry(std::string_view name, const char* unit) {
    return {name, [](const LibraryConstants& constants) { return (constants.*member)[index]; },
            [](LibraryConstants& constants, double value) { (constants.*member)[index] = value; },
            unit};
}

using C = LibraryConstants;

constexpr std::array<LibraryConstant, library_constants> constants{{
    entry<&C::base, 0>("base-ll", "us"),
    entry<&C::base, 1>("base-ll128", "us"),
    entry<&C::base, 2>("base-simple", "us"),
    plain<&C::block_start>("block-start", "us"),
    entry<&C::hop, 0>("hop-ll", "us"),
    entry<&C::hop, 1>("hop-ll128", "us"),
    entry<&C::hop, 2>("hop-simple", "us"),
    plain<&C::slice>("slice", "us"),
    plain<&C::flag_link>("link-ll", "GB/s"),
    plain<&C::simple_link>("link-simple", "GB/s"),
    entry<&C::block, 0>("block-ll", "GB/s"),
    entry<&C::block, 1>("block-ll128", "GB/s"),
    plain<&C::copy>("block-copy", "GB/s"),
    plain<&C::nvls_base>("nvls-base", "us"),
    plain<&C::nvls_loop>("nvls-loop", "us"),
    plain<&C::nvls_link>("nvls-link", "GB/s"),
    entry<&C::send_base, 0>("send-base-ll", "us"),
    entry<&C::send_base, 1>("send-base-simple", "us"),
    plain<&C::send_link>("send-link", "GB/s"),
    plain<&C::send_copy>("send-copy", "GB/s"),
    plain<&C::send_block>("send-block", "GB/s"),
    plain<&C::send_slot>("send-slot", "us"),
    plain<&C::network_hop>("network-hop", "us"),
    plain<&C::network_share>("network-share", "share"),
    plain<&C::nvls_tree_base>("nvls-tree-base", "us"),
}};

}  // namespace

const std::array<LibraryConstant, library_constants>& all_library_constants() {
    return constants;
}

const LibraryConstant* library_constant_named(std::string_view name) {
    const auto* const found =
        std::find_if(constants.begin(), constants.end(),
                     [&](const LibraryConstant& one) { return one.name == name; });
    return found == constants.end() ? nullptr : found;
}

}  // namespace npunet::engine
