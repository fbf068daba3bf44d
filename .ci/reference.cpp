// The unit of .ci/build_budget: a file as the rooms have many, alone.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Entry {
  std::string name;
  std::vector<std::shared_ptr<const Entry>> children;
  std::function<double(double)> apply;
};

template <class Key>
std::string listed(const std::map<Key, Entry>& entries) {
  std::ostringstream out;
  for (const auto& [key, entry] : entries) {
    std::vector<std::string> names;
    for (const auto& child : entry.children) names.push_back(child->name);
    std::sort(names.begin(), names.end());
    out << key << ": " << entry.name << " " << names.size() << entry.apply(0.5);
  }
  return out.str();
}

}  // namespace

std::string reference(const std::unordered_map<std::string, Entry>& entries) {
  std::map<int, Entry> numbered;
  std::map<std::string, Entry> sorted(entries.begin(), entries.end());
  for (const auto& [name, entry] : entries) {
    numbered.emplace(static_cast<int>(name.size()), entry);
  }
  return listed(numbered) + listed(sorted);
}
