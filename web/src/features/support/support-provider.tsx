'use client'

import dynamic from 'next/dynamic'
import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { lazyPart } from '@/components/app/lazy-part'
import { useAuth } from '@/features/session/use-auth'

/** The dialogs are loaded when somebody asks for support. */
const SupportDialog = lazyPart(() => import('./support-dialog').then((m) => m.SupportDialog))
const SignInDialog = dynamic(
  () => import('@/components/app/sign-in-dialog/sign-in-dialog').then((m) => m.SignInDialog),
  { ssr: false },
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
  const { user } = useAuth()
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
      {wanted && <SignInDialog open={open && !user} onClose={close} returnTo={pathname} />}
    </SupportContext>
  )
}
