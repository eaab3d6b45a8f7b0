const NAME = 'refreshProfileData'

/** Whether this tab has gone to the billing portal. A browser may refuse to keep it. */
export const returnFlag = {
  set(): void {
    onStorage((storage) => storage.setItem(NAME, 'true'))
  },
  isSet(): boolean {
    return onStorage((storage) => storage.getItem(NAME) !== null) ?? false
  },
  clear(): void {
    onStorage((storage) => storage.removeItem(NAME))
  },
}

function onStorage<T>(task: (storage: Storage) => T): T | undefined {
  try {
    return task(window.sessionStorage)
  } catch {
    return undefined
  }
}
