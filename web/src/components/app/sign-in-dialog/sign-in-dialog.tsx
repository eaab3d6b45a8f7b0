'use client'

import { returnToPage } from '@/lib/auth/return-to'
import { Dialog, DialogBody } from '../dialog'
import { ProviderButtons } from '../provider-buttons/provider-buttons'
import styles from './sign-in-dialog.module.css'

interface SignInDialogProps {
  open: boolean
  onClose: () => void
  /** Path of the page to come back to after signing in. */
  returnTo: string
}

/** The sign-in dialog, modal and closed by Escape or its backdrop. */
export function SignInDialog({ open, onClose, returnTo }: SignInDialogProps) {
  return (
    <Dialog open={open} title="Sign in" size="slim" onClose={onClose}>
      <DialogBody className={styles.choices}>
        {/* Opened again it knows nothing of the last try. */}
        <ProviderButtons key={String(open)} start={{ return_to: returnToPage(returnTo) }} />
      </DialogBody>
    </Dialog>
  )
}
