#include <vector>
namespace app {
template <typename T> class Store : public Base {
 public:
  Store(int n);
  ~Store() {}
  int size() const { return items.size(); }
  int count_;
};
using Names = std::vector<int>;
}
int app::Store<int>::put(int n) { return helper(n) + std::max(n, 1); }
Store *make() { return new Store(1); }
