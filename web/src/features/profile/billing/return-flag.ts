import { tabStore } from '@/lib/storage'

const NAME = 'refreshProfileData'

/** Whether this tab has gone to the billing portal; not remembered where storage is blocked. */
export const returnFlag = {
  set: () => void tabStore.set(NAME, 'true'),
  isSet: () => tabStore.get(NAME) !== null,
  clear: () => tabStore.remove(NAME),
}
