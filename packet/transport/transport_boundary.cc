/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/transport_boundary.h"

namespace npunet::packet
{

void
PairBorder::Describe(std::uint32_t place, const engine::Message& message, std::int64_t now)
{
    BorderMessage& known = m_border->OfMessage(place);
    known = BorderMessage();
    known.id = message.id.value();
    known.start = now;
    known.bytes = message.bytes.value();
    known.source = message.source;
    known.destination = message.destination;
    if (!m_border->Owns(message.destination))
    {
        known.label = m_border->Cut().LabelOf(message.handle);
    }
}

void
PairBorder::MessageArrives(std::uint32_t place)
{
    const BorderMessage known = m_border->OfMessage(place);
    m_border->Cut().MessageArrives(known);
}

} // namespace npunet::packet
