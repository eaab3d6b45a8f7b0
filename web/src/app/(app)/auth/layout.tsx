import type { ReactNode } from 'react'
import { InlineScript } from '@/inline/inline-script'
import { clearSignInAddress } from '@/lib/auth/sign-in-address'

/** The pages that a sign-in leads through: what their address brought leaves it before any script has run. */
export default function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <InlineScript name="clear-sign-in-address" run={clearSignInAddress} />
      {children}
    </>
  )
}
