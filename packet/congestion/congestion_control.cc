/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/congestion_control.h"

namespace npunet::packet
{

CongestionControl::~CongestionControl() = default;

void
CongestionControl::PacketSent(std::int64_t /* now */, std::int64_t /* wire */)
{
}

void
CongestionControl::Acknowledged(const Acknowledgement& /* acknowledgement */)
{
}

void
CongestionControl::Notified(std::int64_t /* now */)
{
}

void
CongestionControl::Lost(std::int64_t /* now */, bool /* timeout */)
{
}

std::int64_t
CongestionControl::Window() const
{
    return NO_WINDOW;
}

std::int64_t
CongestionControl::Rate(std::int64_t /* now */)
{
    return NO_PACING;
}

void
CongestionControl::Scan(engine::StateScan& /* scan */, const engine::FlowProgress& /* progress */)
{
}

} // namespace npunet::packet
