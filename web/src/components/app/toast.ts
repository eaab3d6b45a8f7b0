import { announceProblem } from '@/lib/analytics/problems'

/** Toasts. Chakra's toaster is lazy-loaded when the page is idle (toast-region.tsx) or with the first toast. */
let announce = () => {}

/** Resolves with the first toast. */
export const toastsWanted = new Promise<void>((resolve) => (announce = resolve))

function create(type: 'success' | 'error', title: string, description?: string): void {
  announce()
  void import('./toaster').then(
    ({ toaster }) => toaster.create({ type, title, description }),
    (error: unknown) => console.error('Toasts could not be loaded', error),
  )
}

/** Shows that something succeeded. */
export const toastSuccess = (title: string, description?: string): void =>
  create('success', title, description)

/** Shows that something failed. */
export function toastError(title: string, description?: string): void {
  announceProblem('toast')
  create('error', title, description)
}
