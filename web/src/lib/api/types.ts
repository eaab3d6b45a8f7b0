import type { components } from './schema'

type Schemas = components['schemas']

/** The API's shapes under the names that the site uses; gateway/openapi.yaml defines them. */
export type ApiError = Schemas['Error']
export type Message = Schemas['Message']
export type Session = Schemas['Session']
export type User = Schemas['User']
export type Provider = Schemas['Provider']
export type SignInFlow = Schemas['SignInFlow']
export type SignInErrorCode = Schemas['SignInError']['code']
export type SignOutRequest = Schemas['SignOutRequest']
export type HandOffRequest = Schemas['HandOffRequest']
export type HandOffAnswer = Schemas['HandOffCode'] | Schemas['HandOffSession']
export type Device = Schemas['Device']
export type DeviceList = Schemas['DeviceList']
export type WaitlistStatus = Schemas['WaitlistStatus']
export type WaitlistSource = NonNullable<Schemas['AddWaitlistUserRequest']['source']>
export type WaitlistUser = Schemas['WaitlistUser']
export type WaitlistUserPage = Schemas['WaitlistUserPage']
export type WaitlistAction = Schemas['ApproveWaitlistUserRequest']['action']
export type Release = Schemas['Release']
export type ReleaseList = Schemas['ReleaseList']
export type DownloadInfo = Schemas['DownloadInfo']
export type LatestDownloads = Schemas['LatestDownloads']
