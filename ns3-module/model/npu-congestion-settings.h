/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CONGESTION_SETTINGS_H
#define NPU_CONGESTION_SETTINGS_H

#include "packet/congestion/congestion_control.h"
#include "topology/parameters/congestion_control.h"

#include <ns3/object.h>
#include <ns3/type-id.h>

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * A congestion control algorithm and its parameters, for the senders of a fabric: each parameter of
 * the algorithm's table (topology/parameters/congestion_control.h) is an attribute, `rate_ai` as
 * `RateAi`.
 *
 *     Config::SetDefault("ns3::NpuDcqcn::RateAi", DataRateValue(DataRate("10Mbps")));
 *     Ptr<NpuCongestionControl> control = NpuCongestionControl::Make("dcqcn");
 *
 * What the numbers mean, and which are multiples of what, is said in docs/transport.md.
 *
 * A script adds an algorithm by a class of its own, derived from this one, with Needs(),
 * MakeSender() and attributes as it likes; the fabric takes it by the name of its type:
 *
 *     Config::SetDefault("ns3::NpuFabric::CongestionControl",
 *                        StringValue("ns3::MyControl[Step=2048|Factor=0.75]"));
 */
class NpuCongestionControl : public Object
{
  public:
    /// Where parameters come from that have their defaults.
    enum PresetKind
    {
        STANDARD, //!< the defaults, scaled to the link
        PAPER     //!< the algorithm's paper, unscaled
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param text name of an algorithm in a network.yml ("dcqcn"), or of a type derived from this
     *        one ("ns3::NpuDcqcn"); values of attributes may follow: "dcqcn[RateAi=5Mbps|Gain=0.5]"
     * @param described where the parameters come from that the text does not give, if it is of the
     *        same algorithm
     * @return a new object, without `described` with the defaults of its attributes; null for
     *         "none"
     *
     * Throws npunet::InputError for other texts.
     */
    static Ptr<NpuCongestionControl> Make(
        const std::string& text, const npunet::topology::CongestionControlChoice& described = {});

    /**
     * @param choice an algorithm with its parameters, such as that of a network.yml
     * @return a new object with these parameters; null for no congestion control
     */
    static Ptr<NpuCongestionControl> Make(const npunet::topology::CongestionControlChoice& choice);

    /**
     * @return the algorithm with the parameters as they are; with the preset PAPER those of its
     *         paper where nothing else was set
     */
    npunet::topology::CongestionControlChoice Choice() const;

    /**
     * @return the text for Make() that gives an equal object:
     * "ns3::NpuDcqcn[Preset=Paper|Gain=0.5|...]"
     */
    std::string Serialize() const;

    /**
     * @return what the algorithm requires of switches, receivers and headers, always the same.
     *         Unless overridden: nothing, or what the algorithm of this module does
     */
    virtual npunet::topology::CongestionNeeds Needs() const;

    /**
     * @param path of a queue pair that sends for the first time
     * @return its sender, which the queue pair owns; null for one that is not limited. Unless
     *         overridden: the algorithm of this module, or null
     */
    virtual std::unique_ptr<npunet::packet::CongestionControl> MakeSender(
        const npunet::packet::FlowPath& path) const;

  protected:
    /// An algorithm of the derived class.
    NpuCongestionControl();

    /**
     * @param algorithm of the type
     */
    explicit NpuCongestionControl(npunet::topology::CongestionAlgorithm algorithm);

    /**
     * @param tid type of an algorithm
     * @param algorithm whose parameters become attributes
     * @return the type
     */
    static TypeId AddParameters(TypeId tid, npunet::topology::CongestionAlgorithm algorithm);

    void NotifyConstructionCompleted() override;

  private:
    friend class NpuCongestionAccessor;

    /**
     * @param choice of the same algorithm, whose parameters count as given
     */
    void TakeOver(const npunet::topology::CongestionControlChoice& choice);

    /**
     * Throws npunet::InputError for what is no attribute or has no such value.
     * @param text such as "[RateAi=5Mbps|Gain=0.5]", or nothing
     */
    void SetAttributes(const std::string& text);

    npunet::topology::CongestionAlgorithm m_algorithm; //!< of the type
    std::vector<double> m_values;                      //!< as in CongestionControlChoice
    std::vector<bool> m_given;                         //!< explicitly; else the default
    bool m_constructed;                                //!< defaults are not set any more
    PresetKind m_preset;                               //!< for values that are the defaults
};

/**
 * @ingroup npunet
 * An algorithm as a type of its own, such as ns3::NpuDcqcn.
 */
template <npunet::topology::CongestionAlgorithm Algorithm>
class NpuCongestionAlgorithm : public NpuCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuCongestionAlgorithm() : NpuCongestionControl(Algorithm)
    {
    }
};

using NpuDcqcn = NpuCongestionAlgorithm<npunet::topology::CongestionAlgorithm::Dcqcn>;
using NpuHpcc = NpuCongestionAlgorithm<npunet::topology::CongestionAlgorithm::Hpcc>;
using NpuTimely = NpuCongestionAlgorithm<npunet::topology::CongestionAlgorithm::Timely>;
using NpuSwift = NpuCongestionAlgorithm<npunet::topology::CongestionAlgorithm::Swift>;
using NpuDctcp = NpuCongestionAlgorithm<npunet::topology::CongestionAlgorithm::Dctcp>;
using NpuReceiverCredit =
    NpuCongestionAlgorithm<npunet::topology::CongestionAlgorithm::ReceiverCredit>;

} // namespace ns3

#endif /* NPU_CONGESTION_SETTINGS_H */
