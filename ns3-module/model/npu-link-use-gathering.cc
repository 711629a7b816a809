// SPDX-License-Identifier: GPL-2.0-only

#include "npu-link-use-gathering.h"

#include "npu-processes.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ns3
{

namespace
{

/// Figures of a link besides those by class and by power of two.
constexpr std::size_t FIGURES = 10;
/// A histogram has not more entries.
constexpr std::size_t POWERS = 64;

/**
 * @param use of a link
 * @param row its figures
 */
void
Write(const npunet::engine::LinkUse& use, int64_t* row)
{
    *row++ = use.payload.value();
    *row++ = use.wire.value();
    *row++ = use.busy.ps();
    *row++ = use.max_queue.value();
    *row++ = static_cast<int64_t>(use.packets);
    *row++ = static_cast<int64_t>(use.retransmissions);
    *row++ = use.credit_stall.ps();
    *row++ = static_cast<int64_t>(use.pauses);
    *row++ = static_cast<int64_t>(use.marked);
    *row++ = static_cast<int64_t>(use.drops);
    for (const npunet::Time time : use.queue_times)
    {
        *row++ = time.ps();
    }
    row += POWERS - use.queue_times.size();
    for (const npunet::Bytes bytes : use.classes_wire)
    {
        *row++ = bytes.value();
    }
}

/**
 * @param row figures of a link
 * @param use of the link; has the right number of classes
 */
void
Read(const int64_t* row, npunet::engine::LinkUse& use)
{
    use.payload = npunet::Bytes(*row++);
    use.wire = npunet::Bytes(*row++);
    use.busy = npunet::Time::ps(*row++);
    use.max_queue = npunet::Bytes(*row++);
    use.packets = static_cast<uint64_t>(*row++);
    use.retransmissions = static_cast<uint64_t>(*row++);
    use.credit_stall = npunet::Time::ps(*row++);
    use.pauses = static_cast<uint64_t>(*row++);
    use.marked = static_cast<uint64_t>(*row++);
    use.drops = static_cast<uint64_t>(*row++);
    std::size_t powers = POWERS;
    while (powers > 0 && row[powers - 1] == 0)
    {
        --powers;
    }
    use.queue_times.clear();
    for (std::size_t power = 0; power < powers; ++power)
    {
        use.queue_times.push_back(npunet::Time::ps(row[power]));
    }
    row += POWERS;
    for (npunet::Bytes& bytes : use.classes_wire)
    {
        bytes = npunet::Bytes(*row++);
    }
}

} // namespace

std::vector<npunet::engine::LinkUse>
GatherNpuLinkUse(std::vector<npunet::engine::LinkUse> uses)
{
    if (NpuProcesses::GetCount() == 1)
    {
        return uses;
    }
    const std::size_t classes = uses.empty() ? 0 : uses.front().classes_wire.size();
    const std::size_t width = FIGURES + POWERS + classes;
    std::vector<int64_t> table(uses.size() * width);
    for (std::size_t link = 0; link < uses.size(); ++link)
    {
        Write(uses[link], &table[link * width]);
    }
    // Whoever knows nothing of a link has zeros for it.
    table = NpuProcesses::Max(std::move(table));
    for (std::size_t link = 0; link < uses.size(); ++link)
    {
        Read(&table[link * width], uses[link]);
    }
    return uses;
}

} // namespace ns3
