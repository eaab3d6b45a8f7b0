import { showAlert } from '@/lib/alert'
import { copyText } from '@/lib/copy'

/** What is shared: `url` is absolute. */
export interface Shared {
  title: string
  text: string
  url: string
}

/** Whether the person, not the browser, has ended it. */
const dismissed = (error: unknown) => (error as Error | null)?.name === 'AbortError'

/** Opens the device's share sheet; false if there is none or it does not open. */
async function shareByDevice(data: Shared): Promise<boolean> {
  if (!navigator.share) return false
  try {
    await navigator.share(data)
    return true
  } catch (error) {
    return dismissed(error)
  }
}

/**
 * Shares a page by the device's share sheet; else copies its address and says so; where even that is
 * refused, shows the address to be copied by hand.
 */
export async function share(data: Shared): Promise<void> {
  if (await shareByDevice(data)) return
  if (await copyText(data.url)) showAlert('Link copied to clipboard!')
  else window.prompt('Copy this link:', data.url)
}
