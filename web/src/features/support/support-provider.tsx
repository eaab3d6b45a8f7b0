'use client'

import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { lazyView } from '@/components/app/lazy-part'
import { DialogNotLoaded } from '@/components/app/not-loaded'
import { useAuth } from '@/features/session/use-auth'
import type { User } from '@/lib/api/types'
import { SupportDialog } from './support-dialog'

/** Loaded when somebody who is signed out asks for support. */
const SignInDialog = lazyView(
  () => import('@/components/app/sign-in-dialog/sign-in-dialog').then((m) => m.SignInDialog),
  { failed: DialogNotLoaded },
)

const SupportContext = createContext<(() => void) | null>(null)

/** Opens the support dialog; whoever is signed out is offered to sign in. */
export function useSupport(): () => void {
  const open = useContext(SupportContext)
  if (!open) throw new Error('useSupport needs a SupportProvider above it')
  return open
}

/** Lets everything below it open the support dialog. */
export function SupportProvider({ children }: { children: ReactNode }) {
  const { status, user } = useAuth()
  const pathname = usePathname()
  const [requested, setRequested] = useState(false)
  const [open, setOpen] = useState<'support' | 'sign-in' | null>(null)
  // The dialog stays when the session of whoever writes ends, with what they wrote in it.
  const [writer, setWriter] = useState<User | null>(null)
  if (open === 'support' && user && user.id !== writer?.id) setWriter(user)

  const ask = () => {
    if (status === 'signed-out') setWriter(null)
    setRequested(true)
    setOpen('support')
  }
  /** Unless the other one has opened meanwhile. */
  const close = (name: typeof open) => setOpen((current) => (current === name ? null : current))
  const signingIn = open === 'sign-in' || (open === 'support' && !writer)
  return (
    <SupportContext value={ask}>
      {children}
      {writer && (!user || user.id === writer.id) && (
        <SupportDialog
          key={writer.id}
          person={writer}
          open={open === 'support'}
          onClose={() => close('support')}
          onSignIn={() => setOpen('sign-in')}
        />
      )}
      {requested && status === 'unreachable' && (
        <DialogNotLoaded open={signingIn} onClose={() => close(open)} />
      )}
      {requested && status === 'signed-out' && (
        <SignInDialog open={signingIn} onClose={() => close(open)} returnTo={pathname} />
      )}
    </SupportContext>
  )
}
