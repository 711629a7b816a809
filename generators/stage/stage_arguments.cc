#include "generators/stage/stage_arguments.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "generators/option_checks.h"
#include "generators/transformer/plan.h"

namespace npunet::generators {

namespace {

constexpr std::int64_t most_stacks = 1 << 16;

struct Number {
    const char* option;
    std::int64_t value;
};

void check_parts(const Number& parts, const Number& whole) {
    if (whole.value % parts.value != 0) {
        throw InputError({parts.option, "", fmt::format("{}", parts.value),
                          fmt::format("a divisor of {} {}", whole.option, whole.value), ""});
    }
}

void check_ranges(const StageArguments& a) {
    std::int64_t world = 1;
    for (const Number& degree :
         {Number{"--dp", a.dp}, Number{"--tp", a.tp}, Number{"--sp", a.sp}, Number{"--pp", a.pp}}) {
        check_range(degree.option, degree.value, 1, most_ranks);
        world *= degree.value;
        check_range("dp x tp x sp x pp", world, 1, most_ranks);
    }
    for (const Number& size :
         {Number{"--din", a.din}, Number{"--dout", a.dout}, Number{"--dmodel", a.dmodel},
          Number{"--dff", a.dff}, Number{"--batch", a.batch}, Number{"--seq", a.seq},
          Number{"--head", a.head}}) {
        check_range(size.option, size.value, 1, StageArguments::largest_size);
    }
    check_range("--num-stacks", a.num_stacks, 2, most_stacks,
                "STAGE links the output embedding to the second layer or a later one; "
                "--dialect npunet does one layer");
}

}  // namespace

void check(const StageArguments& a) {
    check_ranges(a);
    check_parts({"--dp", a.dp}, {"--batch", a.batch});
    check_parts({"--sp", a.sp}, {"--seq", a.seq});
    check_parts({"--head", a.head}, {"--dmodel", a.dmodel});
    for (const Number& split :
         {Number{"--head", a.head}, Number{"--dmodel", a.dmodel}, Number{"--dff", a.dff}}) {
        check_parts({"--tp", a.tp}, split);
    }
    if (a.weight_sharded) {
        check_parts({"--dp x --sp with --weight-sharded", a.dp * a.sp}, {"--dmodel", a.dmodel});
        check_parts({"--sp with --weight-sharded", a.sp}, {"--dmodel / --head", a.dmodel / a.head});
    }
    if (a.pp > a.num_stacks + 2) {
        throw InputError({"--pp", "", fmt::format("{}", a.pp),
                          fmt::format("at most {}: {} layers and two embeddings", a.num_stacks + 2,
                                      a.num_stacks),
                          "The other stages would have no work"});
    }
}

}  // namespace npunet::generators
