import { useState } from 'react'
import { ConfirmDialog } from '@/components/app/confirm-dialog'
import { site } from '@/config/site'
import { deviceName } from '@/lib/device-name'
import type { useSignOut, Wanted } from './use-sign-out'

function words(wanted: Wanted): { title: string; text: string; action: string } {
  if (wanted === 'everywhere') {
    return {
      title: 'Sign out everywhere?',
      text: `This signs every browser and Mac out of your account, including this browser. You can sign in again at any time.`,
      action: 'Sign out everywhere',
    }
  }
  return {
    title: `Sign out of ${deviceName(wanted)}?`,
    text:
      wanted.kind === 'mac'
        ? `You will have to sign in again to use ${site.name} on that Mac.`
        : 'You will have to sign in again in that browser.',
    action: 'Sign out',
  }
}

interface SignOutDialogProps {
  signOut: ReturnType<typeof useSignOut>
  onClosed: () => void
}

/** Asks before another device, or all of them, are signed out. */
export function SignOutDialog({ signOut, onClosed }: SignOutDialogProps) {
  const { wanted, busy, error, confirm, cancel } = signOut
  // The words stay while the dialog closes.
  const [shown, setShown] = useState<Wanted>('everywhere')
  if (wanted && wanted !== shown) setShown(wanted)
  const { title, text, action } = words(wanted ?? shown)
  return (
    <ConfirmDialog
      open={wanted !== null}
      title={title}
      action={action}
      busyAction="Signing out..."
      busy={busy}
      error={error}
      onConfirm={() => void confirm()}
      onClose={() => {
        cancel()
        onClosed()
      }}
    >
      {text}
    </ConfirmDialog>
  )
}
