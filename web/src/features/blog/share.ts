import { showAlert } from '@/lib/alert'
import { copyText } from '@/lib/copy'
import { shareByDevice } from '@/lib/share'

/**
 * Shares a page, whose `url` is absolute, by the device's share sheet; else copies its address and says so; where even
 * that is refused, shows the address to be copied by hand.
 */
export async function share(data: ShareData & { url: string }): Promise<void> {
  if (await shareByDevice(data)) return
  if (await copyText(data.url)) showAlert('Link copied to clipboard!')
  else window.prompt('Copy this link:', data.url)
}
