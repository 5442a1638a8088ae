export { type LocalCertificate as TestCertificate, makeCertificate } from '#deploy/local/certificate.ts';
