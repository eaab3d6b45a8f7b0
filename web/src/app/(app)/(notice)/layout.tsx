import type { ReactNode } from 'react'
import { DesignSystem } from '@/components/app/theme/design-system'

/** Pages that say one thing, without a header: on the way to sign in, and from there. */
export default function NoticeLayout({ children }: { children: ReactNode }) {
  return <DesignSystem>{children}</DesignSystem>
}
