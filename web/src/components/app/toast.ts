import { announceProblem } from '@/lib/analytics/problems'

/** Notifications; their engine comes when the page is used and quiet, or with the first of them. */
let announce = () => {}

/** Resolves when there is something to show. */
export const toastsWanted = new Promise<void>((resolve) => (announce = resolve))

function create(type: 'success' | 'error', title: string, description?: string): void {
  announce()
  void import('./toaster').then(
    ({ toaster }) => toaster.create({ type, title, description }),
    (error: unknown) => console.error('Toasts could not be loaded', error),
  )
}

/** Tells the person that something was done. */
export const toastSuccess = (title: string, description?: string): void =>
  create('success', title, description)

/** Tells the person that something failed. */
export function toastError(title: string, description?: string): void {
  announceProblem('toast')
  create('error', title, description)
}
