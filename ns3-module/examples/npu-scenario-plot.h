// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SCENARIO_PLOT_H
#define NPU_SCENARIO_PLOT_H

#include <cstddef>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Curves of a scenario over time, for gnuplot: the file holds the data and draws itself.
 *
 *     gnuplot FILE.plt     # makes FILE.svg
 */
class NpuScenarioPlot
{
  public:
    /// A curve.
    struct Curve
    {
        std::string name;                              //!< in the legend
        std::size_t panel;                             //!< its number
        std::vector<std::pair<double, double>> points; //!< ascending in time
    };

    /**
     * @param title above the curves
     * @param yLabel what they show, with its unit
     * @param settings further lines of gnuplot
     */
    NpuScenarioPlot(const std::string& title,
                    const std::string& yLabel,
                    const std::string& settings = "")
        : m_title(title), m_yLabel(yLabel), m_settings(settings)
    {
    }

    /**
     * Curves that are added from now on are in a new panel below the others.
     * @param title of the panel
     */
    void
    AddPanel(const std::string& title)
    {
        m_panels.push_back(title);
    }

    /**
     * The first one needs no panel.
     * @param name in the legend
     * @return number of a new curve
     */
    std::size_t
    AddCurve(const std::string& name)
    {
        if (m_panels.empty())
        {
            AddPanel("");
        }
        m_curves.push_back({name, m_panels.size() - 1, {}});
        return m_curves.size() - 1;
    }

    /**
     * @param curve its number
     * @param milliseconds simulated time
     * @param y the value then
     */
    void
    AddPoint(std::size_t curve, double milliseconds, double y)
    {
        m_curves[curve].points.emplace_back(milliseconds, y);
    }

    /**
     * @param path of the file; the picture has the same name with .svg for .plt
     * @return false if it could not be written, which is said on standard error
     */
    bool
    Write(const std::string& path) const
    {
        std::ofstream out(path);
        out << "set terminal svg size 800," << 230 + 190 * m_panels.size()
            << " font 'Helvetica,14' background 'white'\n"
            << "set output '" << path.substr(0, path.rfind(".plt")) << ".svg'\n"
            << "set xlabel 'time in ms'\nset ylabel '" << m_yLabel << "'\nset grid\n"
            << "set key outside right top\n"
            << m_settings;
        for (std::size_t i = 0; i < m_curves.size(); ++i)
        {
            out << "$curve" << i << " << EOD\n";
            for (const auto& [time, y] : m_curves[i].points)
            {
                out << time << " " << y << "\n";
            }
            out << "EOD\n";
        }
        const char* const colours[] = {
            "#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
        out << "set multiplot layout " << m_panels.size() << ",1 title '" << m_title << "'\n";
        for (std::size_t panel = 0; panel < m_panels.size(); ++panel)
        {
            out << "set title '" << m_panels[panel] << "'\nplot ";
            const char* separator = "";
            std::size_t order = 0;
            for (std::size_t i = 0; i < m_curves.size(); ++i)
            {
                if (m_curves[i].panel == panel)
                {
                    out << separator << "$curve" << i << " with lines linewidth 2 dashtype "
                        << order % 3 + 1 << " linecolor rgb '" << colours[order % 7] << "' title '"
                        << m_curves[i].name << "'";
                    ++order;
                    separator = ", ";
                }
            }
            out << "\n";
        }
        out << "unset multiplot\n";
        if (!out.flush())
        {
            std::cerr << path << ": cannot be written\n";
            return false;
        }
        return true;
    }

  private:
    std::string m_title;               //!< above the curves
    std::string m_yLabel;              //!< what they show
    std::string m_settings;            //!< further lines of gnuplot
    std::vector<std::string> m_panels; //!< their titles, from the top
    std::vector<Curve> m_curves;       //!< in the order of the legend
};

} // namespace ns3

#endif /* NPU_SCENARIO_PLOT_H */
