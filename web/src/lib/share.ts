/** Whether the person, not the browser, has ended it. */
const dismissed = (error: unknown) => (error as Error | null)?.name === 'AbortError'

/** Opens the device's share sheet; false if there is none or it does not open. */
export async function shareByDevice(data: ShareData): Promise<boolean> {
  if (!navigator.share) return false
  try {
    await navigator.share(data)
    return true
  } catch (error) {
    return dismissed(error)
  }
}
