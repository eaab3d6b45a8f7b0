'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { toastError } from '@/components/app/toast'
import { paths } from '@/config/paths'
import { showAlert } from '@/lib/alert'
import { useAuth } from './use-auth'

const TEXT = 'You have been signed out.'

/** Tells a person that their session has expired. */
export function SessionExpired() {
  const auth = useAuth()
  const expired = auth.status === 'signed-out' && auth.expired
  // The profile is left for the landing page, which would not show a toast.
  const leaves = usePathname() === paths.profile

  useEffect(() => {
    if (!expired) return
    if (!leaves) return toastError(TEXT)
    // An alert blocks the page, so the person's data has to be removed from it before.
    const timer = setTimeout(() => showAlert(TEXT))
    return () => clearTimeout(timer)
  }, [expired, leaves])

  return null
}
