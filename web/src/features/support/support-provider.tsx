'use client'

import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { lazyView } from '@/components/app/lazy-part'
import { DialogNotLoaded } from '@/components/app/not-loaded'
import { useAuth } from '@/features/session/use-auth'
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
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)

  const ask = () => {
    setOpen(true)
    setWanted(true)
  }
  const close = () => setOpen(false)
  return (
    <SupportContext value={ask}>
      {children}
      {wanted && user && (
        <SupportDialog key={user.id} email={user.email} open={open} onClose={close} />
      )}
      {wanted && status === 'unreachable' && <DialogNotLoaded open={open} onClose={close} />}
      {wanted && status === 'signed-out' && (
        <SignInDialog open={open} onClose={close} returnTo={pathname} />
      )}
    </SupportContext>
  )
}
