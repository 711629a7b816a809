// DCTCP's sender: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, and
// S. Bensley et al., RFC 8257, sections 3.3 to 3.5.
//
// Once per window of data, with the fraction F of its bytes that arrived marked,
//
//     alpha = (1 - g) alpha + g F
//
// A marked acknowledgement cuts the window W to W (1 - alpha / 2), at most once per window of data;
// until the data then in flight is acknowledged, W does not grow. Otherwise n acknowledged bytes
// increase it by n in slow start, which ends at the first mark or loss, and by window_ai packets x
// n / W afterwards. A loss halves W, at most once per window of data; a timeout sets it to
// min_window, with slow start up to half of its previous value.
#pragma once

#include "packet/congestion/congestion_control.h"

namespace npunet::packet {

class Dctcp : public CongestionControl {
public:
    /// `choice` is of DCTCP.
    Dctcp(const topology::CongestionControlChoice& choice, const FlowPath& path);

    void acknowledged(const Acknowledgement& acknowledgement) override;
    void lost(std::int64_t now, bool timeout) override;
    std::int64_t window() const override;
    void scan(engine::StateScan& scan, const engine::FlowProgress& progress) override;

    double congestion(std::int64_t /* now */) const override { return current_alpha(); }

    /// The estimate of the fraction of marked bytes.
    double current_alpha() const { return alpha_; }

private:
    /// The parameters of one queue pair.
    struct Parameters {
        double gain;  ///< g
        double initial_alpha;
        double initial_window;  ///< bytes
        double window_ai;       ///< bytes
        double min_window;      ///< bytes
        double max_window;      ///< bytes, at least min_window
        bool slow_start;
    };

    static Parameters resolve(const topology::CongestionControlChoice& choice,
                              const FlowPath& path);

    /// Multiplies the window by a factor below 1, and leaves slow start. Prevents growth and other
    /// cuts until everything sent so far is acknowledged.
    void cut(double factor);

    void scan_alpha(engine::StateScan& scan);

    /// Adds a window of data, with its fraction of marked bytes, to alpha.
    void average(double fraction);

    /// `bytes`: newly acknowledged.
    void grow(double bytes);

    /// Clamps the window.
    void bound();

    Parameters parameters_;
    double window_;                  ///< W, bytes
    double threshold_;               ///< slow start ends there, bytes
    double alpha_;                   ///< estimate of the fraction of marked bytes
    std::int64_t averages_ = 0;      ///< windows of data included in alpha
    std::int64_t marks_ = 0;         ///< acknowledgements with marks
    std::int64_t acknowledged_ = 0;  ///< bytes of this window of data
    std::int64_t marked_ = 0;        ///< of these, marked
    std::uint64_t window_end_ = 0;   ///< acknowledging it ends this window of data
    std::uint64_t recovery_ = 0;     ///< once acknowledged, the window may change again
    std::uint64_t next_ = 1;         ///< Acknowledgement::next of the last one
    std::uint64_t sent_ = 1;         ///< Acknowledgement::sent of the last one
};

}  // namespace npunet::packet
