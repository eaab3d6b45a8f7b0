import { billingApi } from '@/lib/api/billing-api'
import type { AppDispatch } from '@/store/store'

const again = { forceRefetch: true, subscribe: false } as const

/** Reads the person's credits anew. */
export function refreshCredits() {
  return (dispatch: AppDispatch): void => {
    void dispatch(billingApi.endpoints.getCreditBalance.initiate(undefined, again))
    void dispatch(billingApi.endpoints.getTokenBalance.initiate(undefined, again))
  }
}

/** Reads subscription and credits anew; what is being read already is not asked for twice. */
export function refreshBilling() {
  return (dispatch: AppDispatch): void => {
    void dispatch(billingApi.endpoints.getSubscription.initiate(undefined, again))
    dispatch(refreshCredits())
  }
}
