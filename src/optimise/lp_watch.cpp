/* SPDX-License-Identifier: Apache-2.0 */
/* Clp asks after every iteration whether to go on; its C interface has no such question, but Coin_C_defines.h
 * says what it is a handle of. */
#define CLP_EXTERN_C
#include "lp_watch.h"

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>

#include <Coin_C_defines.h>

namespace
{

class watch : public ClpEventHandler
{
  public:
    watch(bool (*ended)(const void *), const void *user) : ended_(ended), user_(user) {}
    ClpEventHandler *clone() const override { return new watch(*this); }

    /* -1: go on; 0: to the caller, as stopped by an event. A look at the clock is little beside SKIP
     * iterations. */
    int event(Event which) override
    {
        const int SKIP = 8;
        const bool asked =
            which == endOfFactorization || (which == endOfIteration && ++iterations_ % SKIP == 0);
        return asked && ended_(user_) ? 0 : -1;
    }

  private:
    bool (*ended_)(const void *);
    const void *user_;
    unsigned iterations_ = 0;
};

} // namespace

void fathom_lp_watch(void *model, bool (*ended)(const void *), const void *user)
{
    const watch handler(ended, user);
    static_cast<Clp_Simplex *>(model)->model_->passInEventHandler(&handler);
}
