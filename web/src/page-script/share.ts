/** What share buttons need of the browser. */
export interface ShareTarget {
  share?: (data: { title: string; text: string; url: string }) => Promise<void>
  clipboard: { writeText(text: string): Promise<void> }
}

/**
 * Shares a page by the device's own share sheet, else copies `url` and says so. A dismissed
 * sheet is not an error.
 */
export async function share(
  data: { title: string; text: string; url: string },
  target: ShareTarget,
  say: (message: string) => void,
): Promise<void> {
  if (target.share) {
    await target.share(data).catch(() => {})
    return
  }
  await target.clipboard.writeText(data.url)
  say('Link copied to clipboard!')
}
