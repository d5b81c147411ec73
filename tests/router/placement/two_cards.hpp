// Replaces this machine by one with two packages of two cores, each package with a network card.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "router/placement/pci_distance.hpp"

namespace toroid::testing {

/// While this object exists, hwloc reports the machine with two cards instead of the real one.
class TwoCards {
 public:
  TwoCards() : path_(::testing::TempDir() + "toroid_two_cards_" + std::to_string(::getpid())) {
    std::ofstream file(path_);
    file
        << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
        << "<topology version=\"2.0\">\n"
        << "<object type=\"Machine\" os_index=\"0\"" << sets(0xf, 3)
        << " allowed_cpuset=\"0xf\" allowed_nodeset=\"0x3\" gp_index=\"1\">\n"
        << package(0) << package(1) << "</object>\n</topology>\n";
    file.close();
    ::setenv("HWLOC_XMLFILE", path_.c_str(), 1);
  }
  ~TwoCards() {
    ::unsetenv("HWLOC_XMLFILE");
    ::unlink(path_.c_str());
  }
  TwoCards(const TwoCards&) = delete;
  TwoCards& operator=(const TwoCards&) = delete;

  /// The card of a package.
  PciAddress card(unsigned package) const { return {0, 0x10 * (package + 1) + 1, 0, 0}; }

 private:
  static std::string hex(unsigned value) {
    const std::string digits = "0123456789abcdef";
    return {digits[value / 16 % 16], digits[value % 16]};
  }
  static std::string sets(unsigned pus, unsigned nodes) {
    const std::string cpuset = "=\"0x" + hex(pus) + "\"";
    const std::string nodeset = "=\"0x" + hex(nodes) + "\"";
    return " cpuset" + cpuset + " complete_cpuset" + cpuset + " nodeset" + nodeset +
           " complete_nodeset" + nodeset;
  }
  static std::string object(const std::string& type, unsigned index, unsigned pus, unsigned nodes,
                            unsigned number) {
    return "<object type=\"" + type + "\" os_index=\"" + std::to_string(index) + "\"" +
           sets(pus, nodes) + " gp_index=\"" + std::to_string(number) + "\"";
  }
  static std::string package(unsigned p) {
    const unsigned number = 100 * (p + 1);
    const unsigned pus = 3u << (2 * p);
    const unsigned node = 1u << p;
    std::string text = object("Package", p, pus, node, number) + ">\n" +
                       object("NUMANode", p, pus, node, number + 1) + " local_memory=\"65536\"/>\n";
    for (unsigned c = 2 * p; c < 2 * p + 2; ++c)
      text += object("Core", c, 1u << c, node, number + 10 + c) + ">" +
              object("PU", c, 1u << c, node, number + 20 + c) + "/></object>\n";
    const std::string bus = hex(0x10 * (p + 1));
    const std::string card = hex(0x10 * (p + 1) + 1);
    return text + "<object type=\"Bridge\" gp_index=\"" + std::to_string(number + 30) +
           "\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[" + bus + "-" + card + "]\">\n" +
           "<object type=\"PCIDev\" gp_index=\"" + std::to_string(number + 31) +
           "\" pci_busid=\"0000:" + card +
           ":00.0\" pci_type=\"0207 [15b3:1017] [15b3:0020] 00\" pci_link_speed=\"0.0\"/>\n" +
           "</object>\n</object>\n";
  }

  std::string path_;
};

}  // namespace toroid::testing
