/**
 * next/navigation for pages that are loaded whole: the path stays as long as the page does, only the
 * query changes.
 */
import { useSyncExternalStore } from 'react'
import { onAddressChange } from '@/lib/address'

/** Where the page is already being left for: a second time would break the first one off. */
let leaving: string | null = null
window.addEventListener('pageshow', () => (leaving = null))

function leave(how: 'assign' | 'replace', path: string): void {
  if (leaving === path) return
  leaving = path
  window.location[how](path)
}

const router = {
  push: (path: string) => leave('assign', path),
  replace: (path: string) => leave('replace', path),
}
export const useRouter = () => router

export const usePathname = () => window.location.pathname

export const useSearchParams = () =>
  new URLSearchParams(useSyncExternalStore(onAddressChange, () => window.location.search))
