import { billingApi } from '@/lib/api/billing-api'
import type { AppDispatch } from '@/store/store'

const again = { forceRefetch: true, subscribe: false } as const

/** Refetches the person's credits. */
export function refreshCredits() {
  return (dispatch: AppDispatch): void => {
    void dispatch(billingApi.endpoints.getCreditBalance.initiate(undefined, again))
    void dispatch(billingApi.endpoints.getTokenBalance.initiate(undefined, again))
  }
}

/** Refetches subscription and credits; requests in flight are not duplicated. */
export function refreshBilling() {
  return (dispatch: AppDispatch): void => {
    void dispatch(billingApi.endpoints.getSubscription.initiate(undefined, again))
    dispatch(refreshCredits())
  }
}
