import type { ReactNode } from 'react'
import '@/styles/code.css'

/** Public pages: tokens and CSS modules only, no component or state run-time. */
export default function SiteLayout({ children }: { children: ReactNode }) {
  return children
}
