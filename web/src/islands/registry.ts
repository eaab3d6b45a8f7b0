import type { ComponentType } from 'react'
import type { IslandName } from '@/components/island'
import { LogPath } from '@/components/log-path'
import { PageViews } from '@/components/page-views'
import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'
import { ArticleList } from '@/features/blog/article-list'
import { LocalDate } from '@/features/blog/local-date'
import { ShareButton } from '@/features/blog/share-button'
import { Header } from '@/features/landing/header'
import { PlayWhenSeen } from '@/features/landing/triptych/play-when-seen'
import { Today } from '@/features/legal/today'

/** The components that `island()` names in the markup of visitors' pages. */
export const registry: Readonly<Record<IslandName, ComponentType<never>>> = {
  header: Header,
  'waitlist-form': WaitlistForm,
  'article-list': ArticleList,
  'share-button': ShareButton,
  'local-date': LocalDate,
  today: Today,
  'play-when-seen': PlayWhenSeen,
  'log-path': LogPath,
  'page-views': PageViews,
}
