import { announceProblem } from '@/lib/analytics/problems'
import { showAlert } from '@/lib/alert'

/** Loads what shows toasts on the page; rejects when that fails. */
type LoadRegion = () => Promise<unknown>

/** Chakra's toaster is lazy-loaded after the first interaction (toast-region.tsx) or with the first toast. */
let loadRegion: LoadRegion | null = null
let wanted = false

/**
 * Lets toasts load the page's region for them. One from before, such as of a page without a region, does so at once.
 * Returns what ends that.
 */
export function offerRegion(load: LoadRegion): () => void {
  loadRegion = load
  if (wanted) load().catch(() => {})
  return () => {
    if (loadRegion === load) loadRegion = null
  }
}

async function create(type: 'success' | 'error', title: string, description?: string) {
  wanted = true
  try {
    const [{ toaster }] = await Promise.all([import('./toaster'), loadRegion?.()])
    toaster.create({ type, title, description })
  } catch (error) {
    console.error('Toasts could not be loaded', error)
    if (type === 'error') showAlert(description ? `${title}\n\n${description}` : title)
  }
}

/** Shows that something succeeded. */
export const toastSuccess = (title: string, description?: string): void =>
  void create('success', title, description)

/** Shows that something failed. */
export function toastError(title: string, description?: string): void {
  announceProblem('toast')
  void create('error', title, description)
}
